// The control in the head of the console: as whom to show it. Its form, and the band above the head, are loaded when they are needed.

import { lazy } from '../page/lazy.tsx'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'

const WhomForm = lazy(async () => (await import('./whom-form.tsx')).WhomForm)
export const ActingBand = lazy(async () => (await import('./acting-band.tsx')).ActingBand)

export function WhomMenu({ user }: { user: string }) {
  return <Menu title={texts.whom}>{() => <WhomForm user={user} />}</Menu>
}
