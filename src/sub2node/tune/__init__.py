"""Search of settings on validation: typed spaces, studies, many processes on one storage."""

from .confirmation import confirm as confirm
from .confirmation import fresh_objective as fresh_objective
from .objective import Objective as Objective
from .objective import without_test as without_test
from .search import search as search
from .search_result import SearchResult as SearchResult
from .search_result import Trial as Trial
from .search_space import Choice as Choice
from .search_space import Range as Range
from .search_space import Space as Space
from .search_space import paper_space as paper_space
from .search_space import wide_space as wide_space
from .study import Study as Study
from .study_spec import Spec as Spec
from .study_spec import make_spec as make_spec

Found = SearchResult  # the former name, which is public
