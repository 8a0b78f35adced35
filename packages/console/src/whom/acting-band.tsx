// The band above everything while the console is shown as somebody else: as whom, how long, whether it writes, and a button that ends it.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { acting, endActing, endedName } from '../api/acting.ts'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { ReasonForm } from './whom-form.tsx'

const tickMs = 5000

export function ActingBand() {
  const isTold = useSignal(endedName === null)
  if (acting !== null) return <Band acting={acting} />
  if (isTold.value) return null
  return (
    <div role="status" class="band">
      <span>{texts.actingEnded(endedName!)}</span>
      <button
        type="button"
        class="button"
        onClick={() => {
          isTold.value = true
        }}
      >
        {texts.dismiss}
      </button>
    </div>
  )
}

function Band({ acting: { as, name, user, session, reason } }: { acting: NonNullable<typeof acting> }) {
  return (
    <section class="band" aria-label={texts.actingBand}>
      <strong>{texts.shownAs(name)}</strong>
      <span>{reason === null ? texts.onlyReads : texts.writesAs(reason)}</span>
      {session !== null && <TimeLeft endsAt={session.endsAt} />}
      <span class="spacer" />
      {as !== null && reason === null && (
        <Menu title={`${texts.actNow}…`}>{() => <ReasonForm as={as} name={name} user={user} />}</Menu>
      )}
      <button type="button" class="button" onClick={() => endActing(false)}>
        {texts.endActing}
      </button>
    </section>
  )
}

function TimeLeft({ endsAt }: { endsAt: number }) {
  const left = useSignal(endsAt - Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      left.value = endsAt - Date.now()
      if (left.value <= 0) endActing(true)
    }, tickMs)
    return () => clearInterval(timer)
  }, [endsAt])
  return <span>{texts.minutesLeft(Math.max(0, Math.floor(left.value / 60_000)))}</span>
}
