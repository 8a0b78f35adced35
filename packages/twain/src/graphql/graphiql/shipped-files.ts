// The files of the GraphiQL page: our own two, and those of the packages graphiql and React as they were published.

import { readFile } from 'node:fs/promises'

const files = {
  '/graphql/page.js': { own: './page/page.js' },
  '/graphql/page.css': { own: './page/page.css' },
  '/graphql/react.js': { of: 'react', file: 'umd/react.production.min.js' },
  '/graphql/react-dom.js': { of: 'react-dom', file: 'umd/react-dom.production.min.js' },
  '/graphql/graphiql.js': { of: 'graphiql', file: 'graphiql.min.js' },
  '/graphql/graphiql.css': { of: 'graphiql', file: 'graphiql.min.css' },
} as const

export type ShippedPath = keyof typeof files

export function isShipped(path: string): path is ShippedPath {
  return Object.hasOwn(files, path)
}

/** Whether the packages are installed. */
export function hasShippedFiles(): boolean {
  try {
    for (const file of Object.values(files)) if ('of' in file) packageUrl(file.of)
    return true
  } catch {
    return false
  }
}

export function typeOf(path: ShippedPath): string {
  return `text/${path.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`
}

export async function readShipped(path: ShippedPath): Promise<string> {
  const file = files[path]
  const place = 'own' in file ? new URL(file.own, import.meta.url) : new URL(file.file, packageUrl(file.of))
  const text = await readFile(place, 'utf8')
  return path === '/graphql/graphiql.css' ? withoutFonts(text) : text
}

/** The folder of a package; what it lets be imported does not name the files that are made for browsers. */
function packageUrl(name: string): string {
  return import.meta.resolve(`${name}/package.json`)
}

/** Seven eighths of the style sheet are fonts; those of the system do as well. */
function withoutFonts(css: string): string {
  return css.replace(/@font-face\{[^}]*\}/g, '')
}
