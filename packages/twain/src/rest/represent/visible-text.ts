// Removes the fields that the viewer may not read on a row (docs/reference/rest.md, R18).

import { forbiddenMarker } from '#plan'
import type { Visibility } from '#plan/build'

export function visibleText(text: string, { mayForbid: refuses }: Visibility): string {
  return refuses && forbiddenMarker.isIn(text) ? JSON.stringify(forbiddenMarker.replaceIn(text, () => undefined)) : text
}
