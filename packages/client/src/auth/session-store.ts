// Where the session is stored between visits. All tabs of an origin share `localStorage`.

/** Stores a text, or null for none. */
export interface SessionStore {
  get(): string | null
  set(text: string | null): void
}

/** The part of a Web Storage that is used. */
interface WebStorage {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
  removeItem(key: string): void
}

/** `local` is shared by tabs and survives a restart of the browser, `session` belongs to one tab, `memory` to one page. */
export function openStore(kind: 'local' | 'session' | 'memory', key: string): SessionStore {
  const storage = kind === 'memory' ? null : webStorage(`${kind}Storage`)
  if (storage === null) return memoryStore()
  return {
    get: () => storage.getItem(key),
    set: (text) => (text === null ? storage.removeItem(key) : storage.setItem(key, text)),
  }
}

function memoryStore(): SessionStore {
  let kept: string | null = null
  return {
    get: () => kept,
    set: (text) => {
      kept = text
    },
  }
}

/** Null where there is none: other platforms have no such global, and a browser that blocks storage throws. */
function webStorage(name: string): WebStorage | null {
  // Node's own `localStorage` is a file of the process, and warns.
  if (!('document' in globalThis)) return null
  try {
    return (globalThis as unknown as Record<string, WebStorage | undefined>)[name] ?? null
  } catch {
    return null
  }
}
