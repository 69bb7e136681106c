/** The look of the pages: one sheet, inline, so that they need nothing from anywhere. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fafbfb; --card: #ffffff; --ink: #14201f; --quiet: #55635f; --line: #dfe6e3;
  --accent: #0a6b58; --accent-soft: #e3f3ee; --code: #0f1b1a; --code-ink: #d8e8e3;
  --get: #0a6b58; --post: #1d4fa8; --patch: #8a5a00; --delete: #a8242f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1413; --card: #131c1b; --ink: #e3ece9; --quiet: #9db0aa; --line: #25322f;
    --accent: #56cfae; --accent-soft: #12302a; --code: #080e0d; --code-ink: #d3e5df;
    --get: #56cfae; --post: #8ab4ff; --patch: #e5b45c; --delete: #ff8f97;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  -webkit-text-size-adjust: 100%;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:focus-visible, summary:focus-visible, pre:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px;
}
h1, h2, h3, h4 { line-height: 1.25; margin: 0; letter-spacing: -.01em; }
p { margin: .6em 0; }
code, pre {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
code { font-size: .88em; overflow-wrap: anywhere; }
p code, li code, td code, dd code {
  background: var(--accent-soft); padding: .1em .35em; border-radius: 4px;
}
pre {
  margin: .75rem 0; padding: 1rem 1.15rem; background: var(--code); color: var(--code-ink);
  border: 1px solid var(--line); border-radius: 10px; overflow-x: auto;
  font-size: .84rem; line-height: 1.6; tab-size: 2; color-scheme: dark;
}
pre code { font-size: inherit; overflow-wrap: normal; -webkit-user-select: all; user-select: all; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; }
.top { border-bottom: 1px solid var(--line); background: var(--card); }
.bar {
  max-width: 76rem; margin: 0 auto; padding: .85rem 1.5rem; display: flex; flex-wrap: wrap;
  gap: .5rem 1.75rem; align-items: center;
}
.brand {
  display: inline-flex; align-items: center; gap: .6rem; margin-right: auto;
  font-weight: 650; font-size: 1.08rem; color: var(--ink); text-decoration: none;
}
.brand svg { color: var(--accent); }
.bar nav { display: flex; flex-wrap: wrap; gap: .25rem 1.4rem; font-size: .94rem; }
.bar nav a { text-decoration: none; }
.bar nav a:hover, .side a:hover { text-decoration: underline; }
.bar nav a[aria-current] { color: var(--ink); font-weight: 600; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
.lead { font-size: 1.18rem; color: var(--quiet); max-width: 44rem; }
.home h1 { font-size: clamp(1.9rem, 5vw, 2.7rem); letter-spacing: -.025em; }
.home section { margin-top: 2.75rem; }
.home h2 { font-size: 1.3rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.1rem 1.25rem;
}
.card h2, .card h3 { font-size: 1.02rem; }
.card p { color: var(--quiet); margin-bottom: 0; font-size: .96rem; }
.networks { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; gap: .75rem; }
.networks dl {
  display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: .6rem 0 0;
  font-size: .94rem;
}
.networks dt { color: var(--quiet); }
.networks dd { margin: 0; }
.tag {
  display: inline-block; margin-left: .5rem; padding: 0 .55em; border-radius: 99px;
  font-size: .76rem; font-weight: 600; color: var(--accent);
  background: var(--accent-soft); vertical-align: middle;
}
.quiet { color: var(--quiet); }
.foot { border-top: 1px solid var(--line); color: var(--quiet); font-size: .9rem; }
.docs { max-width: 76rem; display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 3rem; }
.docs h1 { font-size: 2rem; }
.side { font-size: .92rem; }
.side > div { position: sticky; top: 1.5rem; max-height: calc(100vh - 3rem); overflow-y: auto; }
.side h2 {
  font-size: .78rem; text-transform: uppercase; letter-spacing: .06em; color: var(--quiet);
}
.side ul { list-style: none; margin: .3rem 0 1.1rem; padding: 0; }
.side li { padding: .12rem 0; }
.side a { color: var(--ink); text-decoration: none; }
.group { margin-top: 3rem; }
.group > h2 { font-size: 1.45rem; }
.call { margin-top: 1.25rem; }
.call h3 { font-size: 1.12rem; }
.call h4 {
  font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--quiet);
  margin: 1.3rem 0 .3rem;
}
.call .line { margin: .35rem 0 0; color: var(--ink); overflow-wrap: anywhere; }
.call p { color: inherit; }
.verb { font: 700 .8rem ui-monospace, Menlo, Consolas, monospace; margin-right: .5rem; }
.verb.get { color: var(--get); } .verb.post { color: var(--post); }
.verb.put, .verb.patch { color: var(--patch); } .verb.delete { color: var(--delete); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .84rem; }
th, td { padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
.call th:first-child { width: 12rem; }
.three th:nth-child(2) { width: 13rem; }
td code { white-space: nowrap; }
small { color: var(--quiet); }
tr:last-child td { border-bottom: 0; }
summary { cursor: pointer; color: var(--accent); font-size: .94rem; margin-top: .75rem; }
@media (max-width: 56rem) {
  .docs { display: block; }
  .side { margin-bottom: 2rem; }
  .side > div { position: static; max-height: none; }
  .side nav { columns: 2; }
  .toc { break-inside: avoid; }
}
@media (max-width: 34rem) {
  main { padding-top: 2rem; }
  .networks dl { grid-template-columns: 1fr; gap: 0; }
  .networks dd { margin-bottom: .5rem; }
}
`
