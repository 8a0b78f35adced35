// `/docs/errors/CODE`: the page that the `type` of a problem document names, and `/docs/errors` with the list of all codes.
// The links are relative, because a proxy may serve the API below another path.

import { type Code, catalogue, encodeHtml, explanations } from '#base'
import { code, prose } from './html.ts'

export function errorPage(name: Code): string {
  const { status, title } = catalogue[name]
  const { when, next } = explanations[name]
  return page(
    `${name} · ${title}`,
    '../',
    `<h1>${code(name)}</h1>
<p class="facts">${encodeHtml(title)} · HTTP status ${status}</p>
<h2>When</h2>
${prose(when)}
<h2>What to do</h2>
${prose(next)}
<p><a href="../errors">All error codes</a></p>`,
  )
}

export function errorListPage(): string {
  const rows = Object.entries(catalogue).map(
    ([name, { status }]) =>
      `<tr><td><a href="errors/${name}">${code(name)}</a></td><td>${status}</td><td>${prose(explanations[name as Code].when)}</td></tr>`,
  )
  return page(
    'Error codes',
    '',
    `<h1>Error codes</h1>
<p>REST has the code in ${code('code')} of a problem document (RFC 9457), GraphQL in ${code('extensions.code')} of an error.</p>
<table><thead><tr><th>Code</th><th>Status</th><th>When</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`,
  )
}

/** `up`: the way from the page to `/docs/`. */
function page(title: string, up: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${encodeHtml(title)}</title>
<link rel="icon" href="${up}../favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}page.css">
<nav><a class="title" href="${up}../docs">API documentation</a></nav>
<main>
${body}
</main>
</html>
`
}
