// Both APIs with two people who have signed up, for tests of what they see.

import type { Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, type TestApis } from './open-apis.ts'

/** Both APIs as this person sees them. */
export interface Person extends ApiClient {
  id: string
  viewer: Viewer
}

/** The account type is `User`, with nothing required but its `email`. */
export async function openWithPeople(
  sdl: string,
  own: Parameters<typeof openApis>[5] = {},
): Promise<{ apis: TestApis; ann: Person; bob: Person }> {
  const apis = await openApis(sdl, {}, undefined, undefined, undefined, own)
  const signUp = async (name: string): Promise<Person> => {
    const body = { email: `${name}@example.org`, password: 'correct horse' }
    const reply = await apis.rest('POST', '/users', body)
    if (reply.status !== 201) throw new Error(`${name} can't sign up: ${JSON.stringify(reply.body)}`)
    const { id } = reply.body as { id: string }
    const viewer: Viewer = { account: id, roles: [], authenticated: true, token: null }
    return { id, viewer, ...apis.as(viewer) }
  }
  return { apis, ann: await signUp('ann'), bob: await signUp('bob') }
}
