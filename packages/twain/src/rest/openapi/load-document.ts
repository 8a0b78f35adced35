// Few ask for the document: what makes it is loaded when somebody does.

import type { Model } from '#model'
import type { Limits } from '#plan'

export async function openapiText(model: Model, limits: Limits): Promise<string> {
  return (await import('./document.ts')).openapiText(model, limits)
}
