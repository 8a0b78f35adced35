// The model of a schema that was served. A reload compares with the one that this process served last, which is still in memory.

import { loadModel, type Model } from '#model'

let last: { sdl: string; model: WeakRef<Model> } | null = null

/** Called with a schema whose migration has succeeded. */
export function rememberServed(sdl: string, model: Model): void {
  last = { sdl, model: new WeakRef(model) }
}

/** Throws SchemaMistakes if this Twain no longer takes the schema. */
export function loadServed(sdl: string): Model {
  const known = last?.sdl === sdl ? last.model.deref() : undefined
  return known ?? loadModel(sdl, '')
}
