"""The paper's theory, checked by numbers: bounds, probabilities, virtual subgraphs."""

from .approximation import ErrorBound as ErrorBound
from .approximation import approximation_error as approximation_error
from .approximation import error_bound as error_bound
from .claim import Claim as Claim
from .claim import Slack as Slack
from .probability import edge_probability_bound as edge_probability_bound
from .probability import expected_weight as expected_weight
from .sampling import configuration_model as configuration_model
from .sampling import degree_sequence as degree_sequence
from .verify import CLAIMS as CLAIMS
from .verify import verify as verify
