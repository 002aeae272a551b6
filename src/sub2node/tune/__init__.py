"""Search of settings on validation: typed spaces, studies, many processes on one storage."""

from .found import Found as Found
from .found import Trial as Trial
from .objective import Objective as Objective
from .objective import without_test as without_test
from .search import search as search
from .space import Choice as Choice
from .space import Range as Range
from .space import Space as Space
from .space import paper_space as paper_space
from .space import wide_space as wide_space
from .spec import Spec as Spec
from .spec import make_spec as make_spec
from .study import Study as Study
