// The frame of every page: search, navigation, content. All addresses are relative, so that the site works in any folder.

import { escapeHtml } from './render-markdown.ts'
import { relativeHref } from './site-links.ts'

export interface PageParts {
  target: string
  title: string
  navigation: string
  content: string
}

export function renderPage({ target, title, navigation, content }: PageParts): string {
  const home = relativeHref(target, 'index.html')
  const root = home.slice(0, -'index.html'.length)
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title === 'Twain' ? title : `${title} · Twain`)}</title>
<link rel="stylesheet" href="${root}assets/style.css">
<script defer src="${root}assets/search.js"></script>
</head>
<body>
<header>
<a class="home" href="${home}">Twain</a>
<a class="menu" href="#navigation">Menu</a>
<search hidden>
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off" spellcheck="false">
<ol id="results" hidden></ol>
</search>
</header>
<div class="columns">
<main>
${content}</main>
<nav id="navigation" aria-label="Pages">
${navigation}
</nav>
</div>
</body>
</html>
`
}
