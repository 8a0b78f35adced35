// Runs one custom operation: a form of its arguments, its answer, and its refusal with code and hint.

import { useSignal } from '@preact/signals'
import { linkTo } from '../address/address.ts'
import { type Failure, failureOf } from '../api/client.ts'
import { type ArgumentModel, innerType, type OperationModel, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { texts } from '../texts.ts'
import { WhyRulesButton } from '../why/why-button.tsx'
import { ArgumentFields } from './argument-fields.tsx'
import { callOperation, firstValues, rowsIn } from './call-operation.ts'

interface OperationFormProps {
  operation: OperationModel
  /** The row on whose form it stands, which is the value of this argument. */
  about: { type: TypeModel; row: Row; argument: ArgumentModel } | null
}

export function OperationForm({ operation, about }: OperationFormProps) {
  const values = useSignal(firstValues(operation, about))
  const unparsed = useSignal(0)
  const failure = useSignal<Failure | null>(null)
  const answer = useSignal<{ value: unknown } | null>(null)
  const isRunning = useSignal(false)
  const run = async () => {
    answer.value = null
    if (unparsed.value > 0) {
      failure.value = { status: 0, code: 'UNPARSED', text: texts.unparsed, details: [] }
      return
    }
    isRunning.value = true
    failure.value = null
    const row = about && { path: about.type.path, id: about.row.id, isNew: false }
    try {
      answer.value = { value: await callOperation(operation, values.value, row) }
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isRunning.value = false
    }
  }
  const errors = Object.fromEntries(failure.value?.details.map(({ path, message }) => [path, message]) ?? [])
  return (
    <form
      class="stack"
      aria-label={titleOf(operation.name)}
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      {operation.description !== null && <p>{operation.description}</p>}
      {operation.deprecated !== undefined && <p class="note">{texts.deprecated(operation.deprecated)}</p>}
      <ArgumentFields
        fields={operation.arguments.filter((one) => one !== about?.argument)}
        values={values.value}
        errors={errors}
        within=""
        onValues={(next) => {
          values.value = next
        }}
        onUnparsed={(change) => {
          unparsed.value += change
        }}
      />
      <div class="actions">
        <button type="submit" class="button primary" disabled={isRunning.value}>
          {texts.run}
        </button>
        <span role="status">{isRunning.value ? texts.running : answer.value === null ? '' : texts.ran}</span>
      </div>
      {failure.value !== null && (
        <div role="alert" class="failure">
          <code>{failure.value.code}</code> {failure.value.text}
        </div>
      )}
      {failure.value?.code === 'FORBIDDEN' && <WhyCall {...operation} />}
      {answer.value !== null && <Answer operation={operation} value={answer.value.value} />}
    </form>
  )
}

function WhyCall({ name, kind }: OperationModel) {
  const type = kind === 'query' ? 'Query' : 'Mutation'
  return <WhyRulesButton {...{ type }} actions={['CALL']} field={name} subject={titleOf(name)} />
}

function Answer({ operation, value }: { operation: OperationModel; value: unknown }) {
  const type = typeNamed(innerType(operation.type))
  return (
    <section aria-label={texts.answer}>
      {type !== undefined && (
        <div class="actions">
          {rowsIn(operation, value).map((row) => (
            <a key={row.id} class="chip-link" href={linkTo([type.path, row.id])}>
              {labelOf(type, row)}
            </a>
          ))}
        </div>
      )}
      <pre class="code answer">{JSON.stringify(value ?? null, null, 2)}</pre>
    </section>
  )
}
