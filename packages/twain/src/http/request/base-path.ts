// `http.basePath`: the APIs are below a path such as `/api`. The rest of the server knows only paths without it.

/** The path without the base path; null if it is not below it. */
export function pathBelow(path: string, basePath: string): string | null {
  if (!path.startsWith(basePath)) return null
  const rest = path.slice(basePath.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : null
}

/** A message about an invalid setting; null if it is valid. */
export function basePathMistake(setting: string | null): string | null {
  if (setting === null || /^(?:\/(?!\.+(?:\/|$))[\w.~-]+)+$/.test(setting)) return null
  return `http.basePath must be a path such as /api, without a slash at its end, not "${setting}".`
}
