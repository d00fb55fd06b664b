"""What all tests share."""

from docksim.native.libraries import register
from tests.kernels import LIBRARY

register(LIBRARY)
