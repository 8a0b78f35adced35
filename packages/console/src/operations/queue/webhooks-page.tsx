// Webhooks with their deliveries: states, messages, attempts and answers; send again, pause, and go on.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../../address/address.ts'
import { client } from '../../api/client.ts'
import { typeNamed } from '../../api/model.ts'
import { readRowsUpTo, type SomeRows } from '../../api/read-rows.ts'
import { RequestNote } from '../../page/request-note.tsx'
import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'
import { maxListed, useRequest } from '../use-request.ts'
import { MessageView } from './message-view.tsx'
import { type QueuedRow, QueueList } from './queue-list.tsx'

interface WebhookRow {
  id: string
  url: string
  events: readonly string[]
  active: boolean
  paused: string | null
}

interface DeliveryRow extends QueuedRow {
  type: string
  nextAt: string | null
}

export function WebhooksPage() {
  const webhooks = useSignal<SomeRows<WebhookRow> | null>(null)
  const { failure, run } = useRequest()
  const load = () =>
    run(async () => {
      webhooks.value = await readRowsUpTo<WebhookRow>(maxListed, 'webhooks', 'sort=id')
    })
  useEffect(() => void load(), [])
  const setActive = ({ id }: WebhookRow, active: boolean) =>
    run(async () => {
      await client.rest.patch(`/webhooks/${encodeURIComponent(id)}`, { active })
    }).then((isDone) => isDone && load())
  return (
    <section class="operations" aria-label={common.webhooks}>
      <h2>{common.webhooks}</h2>
      <RequestNote failure={failure.value} result={webhooks.value} />
      {webhooks.value?.rows.length === 0 && <p class="nothing">{texts.noWebhooks}</p>}
      {webhooks.value?.hasMore && <p class="note">{texts.firstListed(maxListed)}</p>}
      <ul class="history">
        {webhooks.value?.rows.map((one) => (
          <Webhook key={one.id} webhook={one} onActive={(active) => void setActive(one, active)} />
        ))}
      </ul>
      {typeNamed('Webhook')!.create !== 'none' && (
        <a class="button" href={linkTo(['webhooks', '+new'])}>
          {common.newRow('Webhook')}
        </a>
      )}
    </section>
  )
}

function Webhook({ webhook, onActive }: { webhook: WebhookRow; onActive(active: boolean): void }) {
  const { id, url, events, active, paused } = webhook
  const isOpen = useSignal(false)
  return (
    <li>
      <details
        onToggle={(event) => {
          isOpen.value = event.currentTarget.open
        }}
      >
        <summary>
          <strong>{url}</strong> {events.join(', ')}{' '}
          <span class={active ? 'badge' : 'badge denied'}>{active ? texts.active : texts.paused}</span>
        </summary>
        {isOpen.value && (
          <QueueList<DeliveryRow>
            typeName="WebhookDelivery"
            path={`webhooks/${encodeURIComponent(id)}/deliveries`}
            title={({ type }) => type}
            nextAt={({ nextAt }) => nextAt}
            actions={{ pending: texts.sendAgain }}
          >
            {({ id: delivery }) => <MessageView delivery={delivery} />}
          </QueueList>
        )}
      </details>
      {paused !== null && <p class="denied">{paused}</p>}
      {typeNamed('Webhook')!.update !== 'none' && (
        <button type="button" class="button" onClick={() => onActive(!active)}>
          {active ? common.pause : common.goOn}
        </button>
      )}{' '}
      <a href={linkTo(['webhooks', id])}>{texts.toRow}</a>
    </li>
  )
}
