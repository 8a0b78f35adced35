// The page around GraphiQL: the name of the service, a field for a token, and example documents as JSON for the script of the
// page.

import { encodeHtml } from '#base'
import type { Model } from '#model'
import { exampleDocuments } from './example-documents.ts'

export function graphiqlPage(model: Model, suffix: string): string {
  const { name } = model.service
  const pageData = { name, examples: exampleDocuments(model, suffix) }
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${encodeHtml(name)} · GraphiQL</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="graphql/graphiql.css">
<link rel="stylesheet" href="graphql/page.css">
<header>
<h1>${encodeHtml(name)}</h1>
<nav><a href="docs">REST</a> <a href="openapi.json">OpenAPI</a></nav>
<label>Token <input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="sent as authorization: Bearer …"></label>
</header>
<main id="graphiql"><noscript>GraphiQL needs JavaScript. The GraphQL API is at this URL, for POST.</noscript></main>
<script id="page-data" type="application/json">${toScriptData(pageData)}</script>
<script src="graphql/react.js" defer></script>
<script src="graphql/react-dom.js" defer></script>
<script src="graphql/graphiql.js" defer></script>
<script src="graphql/page.js" defer></script>
</html>
`
}

/** JSON that can neither end nor begin an HTML element. */
function toScriptData(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
