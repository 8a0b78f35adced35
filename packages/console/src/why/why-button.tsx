// A button beside what the user can't do now: it shows the rule that decides, with its line of the schema file.

import { useSignal } from '@preact/signals'
import { failureOf } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { texts } from '../texts.ts'
import { type AccessAnswer, mayExplain, readAccess } from './access.ts'

interface WhyButtonProps {
  type: TypeModel
  row: Row
  action: AccessAnswer['action']
  field: string | null
  /** The next state, if this is about a transition. */
  to?: string
  /** What the user can't do, for the name of the button. */
  subject: string
}

export function WhyButton({ type, row, action, field, to = '', subject }: WhyButtonProps) {
  const ask = async () => {
    const { answers } = await readAccess(type, row, null)
    const found = answers.find((one) => one.action === action && one.field === field && (one.to ?? '') === to)
    return found?.because ?? texts.noRule
  }
  return mayExplain(type) ? <AskButton subject={subject} ask={ask} /> : null
}

export function AskButton({ subject, ask }: { subject: string; ask(): Promise<string> }) {
  const answer = useSignal<string | null>(null)
  const onAsk = async () => {
    answer.value = await ask().catch((error) => failureOf(error).text)
  }
  return (
    <span class="why">
      <button type="button" class="button quiet" aria-label={texts.whyNot(subject)} onClick={() => void onAsk()}>
        {texts.why}
      </button>
      <span role="status" class="note">
        {answer.value}
      </span>
    </span>
  )
}
