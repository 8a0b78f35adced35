// Whether a condition of a viewer's rules holds on a row. The database judges it, on the newest data.

import type { Viewer } from '#base/http'
import type { Resource } from '#model'
import type { Authority, Where } from '#plan'
import type { Store } from '#store'

export async function holdsOnRow(
  { of, id, condition }: { of: Resource; id: string; condition: Where },
  viewer: Viewer,
  authority: Authority,
  store: Pick<Store, 'run'>,
): Promise<boolean> {
  const found = await store.run(authority.judge(of, condition), [id], { fresh: true }, viewer)
  return found.kind === 'one' && found.text !== null
}
