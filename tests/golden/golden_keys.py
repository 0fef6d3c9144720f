"""Every key that a mechanism file of each kind can have, as the readers of files state them.

Paths are those of `golden_files.keys_of`: entries of a list have [] behind its name; `name=l1` is a
value among few; what losses and workloads hold inside themselves is listed once.
"""

from __future__ import annotations

EVERY = "format kind epsilon delta sensitivity loss upper lower certificate about"
NORM_LOSSES = """
    loss.name loss.name=l1 loss.name=l2 loss.name=huber loss.width loss.name=power loss.p
"""
EVEN_LOSSES = f"{NORM_LOSSES} loss.name=sum loss.terms"
LOSSES = f"""
    {EVEN_LOSSES} loss.name=pinball loss.tau loss.name=piecewise loss.points loss.slopes
"""
RELEASES = "releases releases.count releases.epsilon releases.delta"
BUDGETS = f"profile gdp gdp.mu gdp.points gdp.thresholds {RELEASES}"
SHIFTS = "shifts shifts[].shift shifts[].mirror shifts[].budget shifts[].cells"
CURVES = "step unit points pieces"
MORE = "more more[].shift more[].points more[].pieces"


def under(path: str, keys: str) -> str:
    """The keys with a path before each."""
    return " ".join(f"{path}.{key}" for key in keys.split())


NOISE = under("noise", "denominator first weights edges atom tail tail.period tail.ratio")
ADDITIVE = f"""
    {EVERY} {LOSSES} loss.name=custom {BUDGETS}
    step grid noise {NOISE}
    constraints constraints[].name constraints[].name=monotone constraints[].name=symmetric
    constraints[].name=unbiased constraints[].name=max-error constraints[].t
    constraints[].name=unimodal constraints[].at
    constraints[].name=support constraints[].low constraints[].high
    constraints[].name=loss-at-most constraints[].loss constraints[].bound
    {under("certificate", f"step reach points {SHIFTS} shifts[].point constraints")}
    {under("certificate.constraints[]", "cells slope weight")}
"""
NARROW = """
    narrow narrow[].point narrow[].left narrow[].right narrow[].first narrow[].last
    narrow[].mirror narrow[].multiplier
"""
DEPENDENT = f"""
    {EVERY} {LOSSES} {BUDGETS}
    bounds step prior prior=uniform prior.edges prior.masses integer
    crossing crossing.at crossing.slope instance_bound max_error monotone beyond
    instance_loss instance_loss.name instance_loss.name=l2
    additive {under("additive", f"step grid noise {NOISE}")}
    channel {under("channel", "denominator first outputs rows revealed")}
    {under("channel", "noise noise.first noise.weights moved moved.low moved.high")}
    {under("channel", "intervals intervals.sizes intervals.answers intervals.weights")}
    {under("channel", "intervals.stairs")}
    {under("certificate", "step first points group instance")}
    {under("certificate", "pairs pairs[].from pairs[].to pairs[].mirror pairs[].budget")}
    {under("certificate", "pairs[].cells pairs[].point prices prices.stairs prices.runs")}
    {under("certificate.copies", f"layer {SHIFTS} shifts[].point")} certificate.copies
"""
VECTOR = f"""
    {EVERY} {NORM_LOSSES} dimension grid
    noise {under("noise", "denominator radii weights atom first ratio")}
    {under("certificate", f"{CURVES} {MORE}")}
"""
JOINT = f"""
    {EVERY} loss.name loss.name=l1 loss.name=l2 largest integer grid weights
    {under("sensitivity", "one_sided blocks blocks[].numbers blocks[].most blocks[].width")}
    noise {under("noise", "ratio offsets overlap each common centres balls")}
    {under("noise.balls", "denominator radii weights")}
    {under("certificate", f"numbers ranked unit rates cut cells step reach {SHIFTS}")}
    {under("certificate", "directions part bound curves")}
    {under("certificate.curves", f"{CURVES} {MORE}")}
    {under("certificate", "apart moves bases bases[].base bases[].start bases[].weight")}
    {under("certificate.bases[].above", "steps extremes rates")} certificate.bases[].above
    {under("certificate.bases[].below", "steps extremes rates")} certificate.bases[].below
"""
KEYED = f"""
    {EVERY.replace("certificate", "")} {EVEN_LOSSES} {RELEASES} profile
    excess chain chain.denominator chain.shown chain.beyond
    curve curve.mu curve.failure
    {under("releases", "profile curve curve.mu curve.failure")}
"""
BASIS = "coordinates coordinates=questions coordinates.cells coordinates.denominator"
WORKLOAD = f"""
    format kind loss upper lower certificate about loss.name loss.name=l2 largest
    neighbours neighbours=add-remove neighbours=replace
    budget budget.epsilon budget.delta budget.gdp budget.zcdp
    workload {under("workload", "name cells rows denominator of weights marginals sets")}
    {under("workload", "stack product name=identity name=prefix name=ranges name=total")}
    noise {under("noise[]", f"bits triangle rows scales roots row_scales counts answers {BASIS}")}
    {under("noise[]", "each sums solution")}
    {under("certificate[]", f"shifts matrix questions inverse weights values {BASIS}")}
    noise[].coordinates.shares certificate[].coordinates.shares
    entropy entropy.price entropy.steps entropy.values
    law law.kind=integer law.kind=joint law.kind=vector
"""
KEYS = {
    kind: {*keys.split(), f"kind={kind}"}
    for kind, keys in {
        "additive": f"{ADDITIVE} {under('certificate', NARROW)}",
        "integer": ADDITIVE,
        "dependent": DEPENDENT,
        "vector": VECTOR,
        "joint": JOINT,
        "keyed": KEYED,
        "workload": WORKLOAD,
    }.items()
}
