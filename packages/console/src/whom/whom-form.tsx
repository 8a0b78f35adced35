// Chooses as whom to show the console: nobody, a role, or an account, found by its name. It only reads, unless a reason is given.

import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type ActingAs, beginActing } from '../api/acting.ts'
import { model } from '../api/model.ts'
import { hasSecretDraft } from '../edit/drafts.ts'
import { ReferencePicker } from '../edit/reference-picker.tsx'
import { isSaving } from '../edit/save.ts'
import { texts } from '../texts.ts'
import { accountField } from '../why/row-access-view.tsx'

type WhomKind = 'nobody' | 'role' | 'account'

/** `user`: what the user is called. */
export function WhomForm({ user }: { user: string }) {
  const pickerId = useId()
  const { viewer, signIn } = model.value!
  const { roles } = viewer.actAs!
  const kind = useSignal<WhomKind>('account')
  const role = useSignal(roles[0] ?? '')
  const account = useSignal<{ id: string; label: string } | null>(null)
  const isWriting = useSignal(false)
  const reason = useSignal('')
  const chosen = chosenWhom(kind.value, role.value, account.value)
  const kinds: WhomKind[] = ['account', ...(roles.length > 0 ? (['role'] as const) : []), 'nobody']
  const mayWrite = kind.value !== 'nobody'
  return (
    <BeginForm
      label={isWriting.value && mayWrite ? texts.actNow : texts.show}
      isReady={chosen !== null}
      begin={() =>
        beginActing(chosen!.as, chosen!.name, user, isWriting.value && mayWrite ? reason.value.trim() : null)
      }
    >
      <label>
        {texts.whom}
        <select
          value={kind.value}
          onChange={(event) => {
            kind.value = event.currentTarget.value as WhomKind
          }}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {texts.whomKinds[one]}
            </option>
          ))}
        </select>
      </label>
      {kind.value === 'role' && (
        <label>
          {texts.role}
          <select
            value={role.value}
            onChange={(event) => {
              role.value = event.currentTarget.value
            }}
          >
            {roles.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
      {kind.value === 'account' && (
        <ReferencePicker
          field={accountField(signIn!.type)}
          shown={account.value?.label ?? ''}
          common={{ id: pickerId, 'aria-label': texts.account, 'aria-invalid': false }}
          onPick={(id, label) => {
            account.value = id === '' ? null : { id, label }
          }}
        />
      )}
      {mayWrite && (
        <label class="whom-choice">
          <input
            type="checkbox"
            checked={isWriting.value}
            onChange={(event) => {
              isWriting.value = event.currentTarget.checked
            }}
          />{' '}
          {texts.whomWrite}
        </label>
      )}
      {isWriting.value && mayWrite && <ReasonInput reason={reason} />}
    </BeginForm>
  )
}

interface ReasonFormProps {
  as: ActingAs
  name: string
  user: string
}

/** From a session that only reads to one that writes. */
export function ReasonForm({ as, name, user }: ReasonFormProps) {
  const reason = useSignal('')
  return (
    <BeginForm label={texts.actNow} isReady begin={() => beginActing(as, name, user, reason.value.trim())}>
      <ReasonInput reason={reason} />
    </BeginForm>
  )
}

interface BeginFormProps {
  label: string
  isReady: boolean
  begin(): Promise<void>
  children: ComponentChildren
}

function BeginForm({ label, isReady, begin, children }: BeginFormProps) {
  const failure = useSignal<string | null>(null)
  const isSent = useSignal(false)
  const reason = isSaving.value ? texts.savingFirst : hasSecretDraft() ? texts.secretFirst : null
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    isSent.value = true
    failure.value = null
    try {
      await begin()
    } catch (error) {
      failure.value = (error as Error).message
      isSent.value = false
    }
  }
  return (
    <form class="stack whom" onSubmit={(event) => void submit(event)}>
      {children}
      {(failure.value ?? reason) !== null && (
        <p role="alert" class="failure">
          {failure.value ?? reason}
        </p>
      )}
      <button type="submit" class="button primary" disabled={!isReady || isSent.value || reason !== null}>
        {label}
      </button>
    </form>
  )
}

function ReasonInput({ reason }: { reason: Signal<string> }) {
  return (
    <label>
      {texts.reason}
      <input
        required
        maxLength={500}
        pattern=".*\S.*"
        value={reason.value}
        onInput={(event) => {
          reason.value = event.currentTarget.value
        }}
      />
      <span class="note">{texts.reasonHint}</span>
    </label>
  )
}

function chosenWhom(
  kind: WhomKind,
  role: string,
  account: { id: string; label: string } | null,
): { as: ActingAs; name: string } | null {
  switch (kind) {
    case 'nobody':
      return { as: null, name: texts.nobodyName }
    case 'role':
      return { as: { role }, name: texts.roleName(role) }
    case 'account':
      return account === null ? null : { as: { account: account.id }, name: account.label }
  }
}
