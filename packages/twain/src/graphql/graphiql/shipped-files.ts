// The files of the GraphiQL page: two of this module, and the published files of the packages graphiql and React. The exports of
// these packages do not list the files for browsers. `npm run build` copies all of them into the published package.

import { readFile } from 'node:fs/promises'

const files = {
  '/graphql/page.js': () => new URL('./page/page.js', import.meta.url),
  '/graphql/page.css': () => new URL('./page/page.css', import.meta.url),
  '/graphql/react.js': () => new URL('./umd/react.production.min.js', import.meta.resolve('react/package.json')),
  '/graphql/react-dom.js': () =>
    new URL('./umd/react-dom.production.min.js', import.meta.resolve('react-dom/package.json')),
  '/graphql/graphiql.js': () => new URL('./graphiql.min.js', import.meta.resolve('graphiql/package.json')),
  '/graphql/graphiql.css': () => new URL('./graphiql.min.css', import.meta.resolve('graphiql/package.json')),
} as const

export type ShippedPath = keyof typeof files

export function isShipped(path: string): path is ShippedPath {
  return Object.hasOwn(files, path)
}

/** Whether the packages are installed: a clone may be without them. */
export function hasShippedFiles(): boolean {
  try {
    for (const locate of Object.values(files)) locate()
    return true
  } catch {
    return false
  }
}

export function typeOf(path: ShippedPath): string {
  return `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`
}

export async function readShipped(path: ShippedPath): Promise<string> {
  const text = await readFile(files[path](), 'utf8')
  return path === '/graphql/graphiql.css' ? withoutFonts(text) : text
}

/** Seven eighths of the style sheet are fonts; system fonts replace them. */
function withoutFonts(css: string): string {
  return css.replace(/@font-face\{[^}]*\}/g, '')
}
