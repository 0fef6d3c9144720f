"""The style of the page of a report, on a screen, on a phone and on paper."""

STYLE = """
body {
  font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d2733; background: #fff;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
.facts { color: #56616d; margin: .4rem 0 1.2rem; overflow-wrap: anywhere; }
section { margin: 0 0 2rem; }
.promises {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: .8rem 2rem;
  background: #f2f6f9; border-radius: .6rem; padding: 1rem 1.2rem;
}
.promises h2 { font-size: 1rem; margin: 0; }
.promises p { margin: .2rem 0 0; font-size: .94rem; }
.both { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; }
.both img { flex: 1 1 24rem; min-width: 0; max-width: min(100%, 34rem); }
.scroll { max-width: 100%; max-height: 44rem; overflow: auto; }
.scroll thead { position: sticky; top: 0; background: #fff; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #dde3e8;
  vertical-align: top; }
thead th { color: #56616d; font-weight: 600; font-size: .9rem; }
.list td, .cross td, .n { font-variant-numeric: tabular-nums; text-align: right; }
.cross td, .cross th { padding: .25rem .6rem; }
.cross td small { display: block; color: #56616d; font-size: .78rem; white-space: nowrap; }
.list th small { display: block; color: #56616d; font-weight: 400; font-size: .78rem; }
.ends { color: #56616d; white-space: nowrap; }
.hint { border-left: .25rem solid #d08a00; padding-left: .7rem; }
details { margin: .5rem 0; }
summary { color: #1f4b99; cursor: pointer; }
li { overflow-wrap: anywhere; }
dl { margin: 0 0 1rem; }
dl div { display: grid; grid-template-columns: 14rem 1fr; gap: 0 1rem; padding: .3rem 0;
  border-bottom: 1px solid #dde3e8; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
dd i, .verdict { font-style: normal; font-size: .82rem; padding: 0 .45rem; border-radius: .6rem;
  background: #eef1f4; white-space: nowrap; }
.proven { color: #05603a; }
.by-theorem { color: #05603a; }
.stated-by-the-tool { color: #1f4b99; }
.stated-by-you { color: #7a4b00; }
.not-covered { color: #8b1a1a; }
.hash { font-size: .85rem; overflow-wrap: anywhere; }
#checker button { font: inherit; padding: .5rem 1rem; border: 1px solid #1f4b99; color: #fff;
  background: #1f4b99; border-radius: .4rem; cursor: pointer; }
#checker td { overflow-wrap: break-word; padding-right: 1rem; }
@media (max-width: 40rem) {
  .promises { grid-template-columns: 1fr; }
  body { margin: 1rem auto; }
  h1 { font-size: 1.5rem; }
  dl div { grid-template-columns: 1fr; }
  .list td, .list th { padding-right: .5rem; }
  #checker td { display: block; border: 0; padding: 0; }
  #checker tr { display: block; padding: .4rem 0; border-bottom: 1px solid #dde3e8; }
}
@media print { .scroll { max-height: none; overflow: visible; } section { break-inside: avoid; } }
"""
