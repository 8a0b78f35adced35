// Who may do what with a row, and why: of the user, of nobody, of a role, or of any account. "Why can't this account see that post?"

import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { type Failure, failureOf } from '../api/client.ts'
import { type FieldModel, model, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { ReferencePicker } from '../edit/reference-picker.tsx'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { type AccessAnswer, type RowAccess, readAccess } from './access.ts'
import { whyTexts } from './why-texts.ts'

type SubjectKind = 'you' | 'nobody' | 'role' | 'account'

export function RowAccessView({ type, row }: { type: TypeModel; row: Row }) {
  const kind = useSignal<SubjectKind>('you')
  const role = useSignal('')
  const account = useSignal<{ id: string; label: string } | null>(null)
  const access = useSignal<RowAccess | null>(null)
  const failure = useSignal<Failure | null>(null)
  const requests = useRef(0)
  const as = subjectOf(kind.value, role.value, account.value?.id)
  useEffect(() => {
    if (as === undefined) {
      access.value = null
      return
    }
    const request = ++requests.current
    readAccess(type, row, as).then(
      (found) => {
        if (request !== requests.current) return
        access.value = found
        failure.value = null
      },
      (error) => {
        if (request !== requests.current) return
        access.value = null
        failure.value = failureOf(error)
      },
    )
  }, [as])
  return (
    <section aria-label={texts.access}>
      <SubjectForm
        kind={kind.value}
        onKind={(next) => {
          kind.value = next
          failure.value = null
        }}
        onRole={(name) => {
          role.value = name
        }}
        account={account.value?.label ?? ''}
        onAccount={(id, label) => {
          account.value = { id, label }
        }}
      />
      <FailureNote failure={failure.value} />
      {access.value !== null && <Answers access={access.value} />}
    </section>
  )
}

/** As the API takes it. Undefined: it is not chosen yet. */
function subjectOf(kind: SubjectKind, role: string, account: string | undefined): string | null | undefined {
  switch (kind) {
    case 'you':
      return null
    case 'nobody':
      return 'nobody'
    case 'role':
      return role === '' ? undefined : `role:${role}`
    case 'account':
      return account === undefined ? undefined : `account:${account}`
  }
}

interface SubjectFormProps {
  kind: SubjectKind
  account: string
  onKind(kind: SubjectKind): void
  onRole(role: string): void
  onAccount(id: string, label: string): void
}

function SubjectForm({ kind, account, onKind, onRole, onAccount }: SubjectFormProps) {
  const pickerId = useId()
  const { signIn } = model.value!
  const mayPick = signIn !== null && typeNamed(signIn.type) !== undefined
  const kinds: SubjectKind[] = ['you', 'nobody', 'role', ...(mayPick ? (['account'] as const) : [])]
  return (
    <div class="subject">
      <label>
        {whyTexts.asWhom}{' '}
        <select value={kind} onChange={(event) => onKind(event.currentTarget.value as SubjectKind)}>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {whyTexts.subjects[one]}
            </option>
          ))}
        </select>
      </label>
      {kind === 'role' && (
        <label>
          {texts.role} <input onChange={(event) => onRole(event.currentTarget.value.trim())} />
        </label>
      )}
      {kind === 'account' && (
        <ReferencePicker
          field={accountField(signIn!.type)}
          shown={account}
          common={{ id: pickerId, 'aria-label': texts.account, 'aria-invalid': false }}
          onPick={onAccount}
        />
      )}
    </div>
  )
}

/** The picker takes the field whose rows it searches. */
export function accountField(type: string): FieldModel {
  return {
    name: 'account',
    description: null,
    kind: 'reference',
    type,
    required: true,
    shown: true,
    read: 'all',
    operators: [],
    sort: false,
    create: 'none',
    update: 'none',
  }
}

function Answers({ access: { viewer, answers } }: { access: RowAccess }) {
  return (
    <>
      <p class="dim">
        {whyTexts.rolesOf(viewer.roles)}
        {viewer.locked && ` · ${whyTexts.lockedAccount}`}
      </p>
      <ul class="answers">
        {answers.map((answer) => (
          <li key={`${answer.action} ${answer.field} ${answer.to}`}>
            <Answer answer={answer} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Answer({ answer: { action, field, to, allowed, because, rules } }: { answer: AccessAnswer }) {
  const subject = field === null ? whyTexts.wholeRow : titleOf(field)
  const what = to === null ? whyTexts.actions[action] : texts.moveTo(to)
  return (
    <details>
      <summary>
        <span class={allowed === null ? 'dim' : allowed ? 'allowed' : 'denied'}>
          {allowed === null ? whyTexts.notShown : allowed ? whyTexts.allowed : whyTexts.denied}
        </span>{' '}
        {subject}: {what}
      </summary>
      <p>{because}</p>
      {rules.length > 0 && (
        <ul>
          {rules.map(({ rule, place, holds }) => (
            <li key={`${place} ${rule}`}>
              <code>{place}</code> <code>{rule}</code>{' '}
              <span class="dim">{holds === null ? whyTexts.notShown : holds ? whyTexts.holds : whyTexts.holdsNot}</span>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
