// What a viewer sees of an answer: a field that may not be read on a row is absent from it (docs/reference/rest.md, R18).

import { hasRefusals, type Sight, withRefusals } from '#plan'

export function seenText(text: string, { refuses }: Sight): string {
  return refuses && hasRefusals(text) ? JSON.stringify(withRefusals(text, () => undefined)) : text
}
