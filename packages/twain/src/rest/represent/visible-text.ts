// What a viewer sees of an answer: a field that may not be read on a row is absent from it (docs/reference/rest.md, R18).

import { hasForbiddenFields, replaceForbiddenFields, type Visibility } from '#plan'

export function seenText(text: string, { mayForbid: refuses }: Visibility): string {
  return refuses && hasForbiddenFields(text) ? JSON.stringify(replaceForbiddenFields(text, () => undefined)) : text
}
