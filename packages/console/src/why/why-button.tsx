// A button beside what the user can't do now: it shows the rule that decides, with its line of the schema file.

import { useSignal } from '@preact/signals'
import { isReadOnly } from '../api/acting.ts'
import { failureOf } from '../api/client.ts'
import { texts } from '../texts.ts'
import { isAdmin, mayExplain } from './access.ts'
import type { RowQuestion, RulesQuestion } from './ask-why.ts'

/** What the user can't do, for the name of the button. */
interface WhySubject {
  subject: string
}

/** Of a row that the user sees. */
export function WhyButton({ subject, ...question }: RowQuestion & WhySubject) {
  const ask = async () => (await import('./ask-why.ts')).askRow(question)
  return mayExplain(question.type) ? <AskButton subject={subject} ask={ask} /> : null
}

/** Of all rows of a type, or of a custom operation. No rule keeps a session from writing that only reads. */
export function WhyRulesButton({ subject, ...question }: RulesQuestion & WhySubject) {
  const ask = async () => (await import('./ask-why.ts')).askRules(question)
  return isAdmin() && !isReadOnly ? <AskButton subject={subject} ask={ask} /> : null
}

function AskButton({ subject, ask }: WhySubject & { ask(): Promise<string> }) {
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
