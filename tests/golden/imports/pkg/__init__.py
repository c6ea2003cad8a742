from .unused import broken
from pkg.tables import *
