// Invitations that wait, and a form for another one (`/invitations`).

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { type FieldModel, model, type TypeModel, titleOf } from '../../api/model.ts'
import { FieldInput } from '../../edit/field-input.tsx'
import { FailureNote } from '../../page/failure-note.tsx'
import { RequestNote } from '../../page/request-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { refusedFields } from '../../why/access.ts'
import { WhyRulesButton } from '../../why/why-button.tsx'
import { operationTexts as texts } from '../operation-texts.ts'
import { useRequest } from '../use-request.ts'

interface Invitation {
  id: string
  createdAt: string
  expiresAt: string
  /** The login, under its own name. */
  [login: string]: string
}

export function Invitations({ type }: { type: TypeModel }) {
  const invitations = useSignal<readonly Invitation[] | null>(null)
  const { failure, run } = useRequest()
  const { login } = model.value!.signIn!
  const load = () =>
    run(async () => {
      invitations.value = (await client.rest.get<Invitation[]>('/invitations')).data!
    })
  useEffect(() => void load(), [])
  const withdraw = (id: string) =>
    run(async () => {
      await client.rest.delete(`/invitations/${id}`)
    }).then((isDone) => isDone && load())
  const sentTo = useSignal<string | null>(null)
  const resend = (one: Invitation) =>
    run(async () => {
      await client.rest.post(`/invitations/${one.id}/mails`, {})
      sentTo.value = one[login]!
    }).then((isDone) => isDone && load())
  return (
    <section aria-label={texts.invitations}>
      <h3>{texts.invitations}</h3>
      <RequestNote failure={failure.value} result={invitations.value} />
      <p role="status" class="dim">
        {sentTo.value !== null && texts.resent(sentTo.value)}
      </p>
      {invitations.value?.length === 0 && <p class="dim">{texts.noInvitations}</p>}
      <ul class="history">
        {invitations.value?.map((one) => (
          <li key={one.id}>
            <strong>{one[login]}</strong> <span class="dim">{texts.until(printTime(one.expiresAt))}</span>{' '}
            <button type="button" class="button quiet" onClick={() => void resend(one)}>
              {texts.resend(one[login]!)}
            </button>{' '}
            <button type="button" class="button quiet" onClick={() => void withdraw(one.id)}>
              {texts.withdraw(one[login]!)}
            </button>
          </li>
        ))}
      </ul>
      <InvitationForm type={type} onSent={() => void load()} />
    </section>
  )
}

/** The login, what an account needs, and its roles. */
function invitedFields(type: TypeModel): FieldModel[] {
  const { login, roles } = model.value!.signIn!
  return type.fields.filter(
    ({ name, create, kind }) =>
      kind !== 'list' && create !== 'none' && (name === login || name === roles || create === 'required'),
  )
}

function InvitationForm({ type, onSent }: { type: TypeModel; onSent(): void }) {
  const values = useSignal<Readonly<Record<string, unknown>>>({})
  const labels = useSignal<Readonly<Record<string, string>>>({})
  const unparsed = useSignal<Readonly<Record<string, string>>>({})
  const sentTo = useSignal<string | null>(null)
  const { failure, isRunning, run } = useRequest()
  const { login } = model.value!.signIn!
  const send = () =>
    run(async () => {
      await client.rest.post('/invitations', values.value)
      sentTo.value = String(values.value[login])
      values.value = {}
      onSent()
    })
  return (
    <form
      class="invitation"
      aria-label={texts.invite}
      onSubmit={(event) => {
        event.preventDefault()
        if (Object.keys(unparsed.value).length === 0) void send()
      }}
    >
      <h4>{texts.invite}</h4>
      {invitedFields(type).map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values.value[field.name]}
          label={labels.value[field.name] ?? ''}
          isRequired={field.name === login || field.create === 'required'}
          isChanged={field.name in values.value}
          unparsed={unparsed.value[field.name]}
          error={failure.value?.details.find(({ path }) => path === field.name)?.message}
          locked={null}
          onValue={(value, label) => {
            const { [field.name]: _, ...rest } = unparsed.value
            unparsed.value = rest
            values.value = { ...values.value, [field.name]: value }
            if (label !== undefined) labels.value = { ...labels.value, [field.name]: label }
          }}
          onUnparsed={(text) => {
            unparsed.value = { ...unparsed.value, [field.name]: text }
          }}
        />
      ))}
      <FailureNote failure={failure.value}>
        {failure.value !== null &&
          refusedFields(failure.value).map((field) => (
            <WhyRulesButton
              key={field ?? ''}
              type={type.name}
              actions={['CREATE']}
              field={field}
              subject={field === null ? texts.sendInvitation : titleOf(field)}
            />
          ))}
      </FailureNote>
      <p role="status" class="dim">
        {sentTo.value !== null && texts.invited(sentTo.value)}
      </p>
      <button type="submit" class="button primary" disabled={isRunning.value}>
        {texts.sendInvitation}
      </button>
    </form>
  )
}
