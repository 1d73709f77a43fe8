"""How the HTML file of a page's change looks; readable without its colours, too."""

STYLE = """\
body { font-family: "Malgun Gothic", "맑은 고딕", "NanumGothic", sans-serif; font-size: 10.5pt;
  line-height: 1.5; color: #1b1f24; background: #ffffff; margin: 1.5em auto; max-width: 1400px;
  padding: 0 1em; }
h1 { font-size: 16pt; color: #1f3a5f; margin: 0.4em 0; }
h2 { font-size: 12pt; color: #1f3a5f; margin: 1.4em 0 0.4em; }
.house, .left-out { color: #b3261e; font-weight: bold; margin: 0.4em 0; }
.note { color: #5f6b7a; margin: 0.4em 0; }
.next { margin: 0.6em 0; }
code { font-family: Consolas, "NanumGothicCoding", monospace; background: #eef1f4;
  padding: 0 0.3em; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #d0d4d9; padding: 0.25em 0.5em; vertical-align: top; text-align: left;
  overflow-wrap: anywhere; }
thead th { background: #1f3a5f; color: #ffffff; text-align: center; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
.facts th, .two tbody th { width: 9em; background: #eef1f4; font-weight: normal; }
.two, .text { table-layout: fixed; }
.two thead th:first-child { width: 9em; }
.text td { white-space: pre-wrap; }
.text .no { width: 3.4em; text-align: right; color: #5f6b7a; white-space: nowrap; }
.old { background: #fadcd9; }
.new { background: #dff2e1; }
.none { background: #f3f4f6; }
.moved { color: #5f6b7a; background: #eef1f4; }
del { text-decoration: line-through; background: #f2aaa4; }
ins { text-decoration: underline; background: #a8dcae; }
.mark { font-weight: bold; color: #1b1f24; }
.changed { font-weight: bold; color: #b3261e; }
.unseen { color: #b3261e; font-family: monospace; }
.fold > td { padding: 0; background: #f3f4f6; }
.fold summary { padding: 0.25em 0.5em; color: #5f6b7a; cursor: pointer; }
.fold .text { background: #ffffff; }
.gap td { text-align: center; color: #b3261e; }
@page { size: A4 landscape; margin: 12mm; }
@media print {
  body { margin: 0; max-width: none; font-size: 9pt; }
  td, th, del, ins { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
