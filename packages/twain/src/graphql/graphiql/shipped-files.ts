// The files of the GraphiQL page: two of this module, and the published files of the packages graphiql and React.

import { readFile } from 'node:fs/promises'

const files = {
  '/graphql/page.js': { local: './page/page.js' },
  '/graphql/page.css': { local: './page/page.css' },
  '/graphql/react.js': { package: 'react', file: 'umd/react.production.min.js' },
  '/graphql/react-dom.js': { package: 'react-dom', file: 'umd/react-dom.production.min.js' },
  '/graphql/graphiql.js': { package: 'graphiql', file: 'graphiql.min.js' },
  '/graphql/graphiql.css': { package: 'graphiql', file: 'graphiql.min.css' },
} as const

export type ShippedPath = keyof typeof files

export function isShipped(path: string): path is ShippedPath {
  return Object.hasOwn(files, path)
}

/** Whether the packages are installed. */
export function hasShippedFiles(): boolean {
  try {
    for (const file of Object.values(files)) if ('package' in file) packageUrl(file.package)
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
  const url = 'local' in file ? new URL(file.local, import.meta.url) : new URL(file.file, packageUrl(file.package))
  const text = await readFile(url, 'utf8')
  return path === '/graphql/graphiql.css' ? withoutFonts(text) : text
}

/** The URL of a package. Its exports do not list the files for browsers. */
function packageUrl(name: string): string {
  return import.meta.resolve(`${name}/package.json`)
}

/** Seven eighths of the style sheet are fonts; system fonts replace them. */
function withoutFonts(css: string): string {
  return css.replace(/@font-face\{[^}]*\}/g, '')
}
