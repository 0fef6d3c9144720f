"""What many releases cost together (extra `accounting`: Google's dp-accounting).

One release of a mechanism is summed up in its curve h(gamma), gamma = e^epsilon: the largest
hockey stick over every shift up to the sensitivity and both directions. A pair of distributions
with exactly this curve dominates the mechanism, and k of them dominate any k releases, adaptive or
not; dp-accounting convolves their privacy losses. The pessimistic value comes from that pair. The
optimistic one comes from real pairs, the noise and the noise moved by one fixed shift, so that the
true cost lies between the two. Statements and proofs: `dominating.proof.md`.
"""

from .composition import Composition, break_even, compose, compose_many, gaussian_epsilon
from .distribution import dp_event, pld_accountant, privacy_loss_distribution
from .renyi import renyi, zcdp

__all__ = [
    "Composition",
    "break_even",
    "compose",
    "compose_many",
    "dp_event",
    "gaussian_epsilon",
    "pld_accountant",
    "privacy_loss_distribution",
    "renyi",
    "zcdp",
]
