// A contract over the real corridor and store with two people signed up in it, so that a test is about what they see.

import type { Viewer } from '../../packages/twain/src/base/index.ts'
import { type Asking, type Faces, openFaces } from './open-apis.ts'

/** Both faces as this person sees them. */
export interface Person extends Asking {
  id: string
  viewer: Viewer
}

/** The account type is `User`, with nothing required but its `email`. */
export async function openWithPeople(sdl: string): Promise<{ faces: Faces; ann: Person; bob: Person }> {
  const faces = await openFaces(sdl)
  const signUp = async (name: string): Promise<Person> => {
    const body = { email: `${name}@example.org`, password: 'correct horse' }
    const reply = await faces.rest('POST', '/users', body)
    if (reply.status !== 201) throw new Error(`${name} can't sign up: ${JSON.stringify(reply.body)}`)
    const { id } = reply.body as { id: string }
    const viewer: Viewer = { account: id, roles: [], authenticated: true, token: null }
    return { id, viewer, ...faces.as(viewer) }
  }
  return { faces, ann: await signUp('ann'), bob: await signUp('bob') }
}
