"""Pictures (extra `plot`): each a `Picture` that a notebook shows by itself and that saves itself.

One idea a file; how a mechanism looks is decided in `palette.py` alone. No display is needed or
touched, and no picture shows a data value: they are drawn from mechanism files.
"""

from .answers import plot_answer
from .bracket import plot_bracket
from .channel import channel_alone, plot_channel
from .comparison import plot_comparison
from .curves import plot_frontier, plot_tradeoff
from .density import baselines_of, density_alone, draw_density, plot_density
from .heatmap import plot_heatmap
from .picture import Picture
from .privacy_loss import plot_privacy_loss
from .profile import draw_profiles, plot_profiles
from .vector import plot_vector

__all__ = [
    "Picture",
    "baselines_of",
    "channel_alone",
    "density_alone",
    "draw_density",
    "draw_profiles",
    "plot_answer",
    "plot_bracket",
    "plot_channel",
    "plot_comparison",
    "plot_density",
    "plot_frontier",
    "plot_heatmap",
    "plot_privacy_loss",
    "plot_profiles",
    "plot_tradeoff",
    "plot_vector",
]
