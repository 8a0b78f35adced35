// What a viewer sees of an answer: a field that may not be read on a row is absent from it (docs/reference/rest.md, R18).

import { forbiddenMarker } from '#plan'
import type { Visibility } from '#plan/build'

export function visibleText(text: string, { mayForbid: refuses }: Visibility): string {
  return refuses && forbiddenMarker.isIn(text) ? JSON.stringify(forbiddenMarker.replaceIn(text, () => undefined)) : text
}
