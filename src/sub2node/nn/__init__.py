"""Networks of the structures, trained for several seeds side by side."""

from .build import Stages as Stages
from .build import build_network as build_network
from .build import build_stages as build_stages
from .convolutions import CONVOLUTIONS as CONVOLUTIONS
from .networks import Network as Network
from .node_table import NodeTable as NodeTable
from .streams import Init as Init
from .streams import Streams as Streams
