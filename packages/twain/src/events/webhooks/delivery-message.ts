// The message of a delivery, as the server would send it now: for whoever may read the delivery.
//
// 1. The message has what the owner of the webhook may see now, as each attempt has (`webhook-runner.ts`, 3).
// 2. Members that the asker may not see themselves are left out: a webhook of another account shows nobody more than their own rules.
// 3. Neither the secret nor a signature is shown. A signature is made for each attempt.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, isRecord } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { ChangeLog, Webhook, WebhookDelivery, WebhookStore } from '#store'
import type { ChangeFeed } from '../feed/feed.ts'
import { signedHeaderNames } from './signature.ts'
import { webhookInterests } from './subscription.ts'
import { messageHeaders, type WebhookOwners } from './webhook-runner.ts'

export interface DeliveryMessage {
  method: 'POST'
  url: string
  headers: MessageHeader[]
  /** Null: there is nothing to send, or nothing that the asker may see. */
  body: string | null
  /** The members of the body that the asker may not see: `by`, `data.email`. */
  leftOut: string[]
  /** Why there is no body; null if there is one. */
  because: string | null
}

interface MessageHeader {
  name: string
  /** Null: each attempt has its own. */
  value: string | null
}

interface MessageSource {
  records: WebhookStore
  engine: Engine
  events: ChangeFeed
  changes: Pick<ChangeLog, 'readAt'>
  owners: WebhookOwners
}

type MessageBody = Pick<DeliveryMessage, 'body' | 'leftOut' | 'because'>

/** Null if there is no such delivery. The caller has checked that the asker may read it. */
export async function deliveryMessage(
  id: string,
  asker: Viewer,
  source: MessageSource,
): Promise<DeliveryMessage | null> {
  const delivery = await source.records.findDelivery(id)
  const webhook = delivery && (await source.records.find(delivery.webhook))
  if (delivery === null || webhook === null) return null
  const headers: MessageHeader[] = Object.entries(messageHeaders).map(([name, value]) => ({ name, value }))
  headers.push({ name: signedHeaderNames.id, value: id })
  for (const name of [signedHeaderNames.time, signedHeaderNames.signature]) headers.push({ name, value: null })
  return { method: 'POST', url: webhook.url, headers, ...(await bodyOf(delivery, webhook, asker, source)) }
}

async function bodyOf(
  { position }: WebhookDelivery,
  webhook: Webhook,
  asker: Viewer,
  { engine, events, changes, owners }: MessageSource,
): Promise<MessageBody> {
  const owner = await owners.currentViewer(webhook.owner)
  if (owner === null) return missing(withoutOwner)
  if ((await changes.readAt([position])).length === 0) return missing(pruned)
  const textFor = async (viewer: Viewer, where: unknown) => {
    const interests = webhookInterests({ events: webhook.events, where }, viewer, engine, events)
    return (await events.eventsAt([position], interests, viewer)).get(position)?.text
  }
  try {
    const sent = await textFor(owner, webhook.where)
    if (sent === undefined) return missing(unseenByOwner)
    const own = await textFor(asker, null)
    return own === undefined ? missing(unseenByAsker) : commonBody(sent, own)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') return missing(invalidFilter)
    throw error
  }
}

/** See 2. The body keeps its bytes if nothing is left out. */
function commonBody(sent: string, own: string): MessageBody {
  if (sent === own) return { body: sent, leftOut: [], because: null }
  const leftOut: string[] = []
  const members = common(JSON.parse(sent), JSON.parse(own), '')
  return { body: leftOut.length === 0 ? sent : JSON.stringify(members), leftOut, because: null }

  function common(all: Record<string, unknown>, some: Record<string, unknown>, before: string): object {
    const kept = Object.entries(all).flatMap(([name, value]) => {
      const seen = some[name]
      if (name === 'data' && before === '' && isRecord(value) && isRecord(seen)) {
        return [[name, common(value, seen, 'data.')]]
      }
      if (name in some && isDeepStrictEqual(seen, value)) return [[name, value]]
      leftOut.push(before + name)
      return []
    })
    return Object.fromEntries(kept)
  }
}

function missing(because: string): MessageBody {
  return { body: null, leftOut: [], because }
}

const withoutOwner =
  'The owner of the webhook has no rights: the account was deleted or locked, or the API key was revoked.'
const pruned = 'The change log no longer has the change (events.retentionSeconds), so there is nothing to send.'
const unseenByOwner =
  'There is nothing to send: the owner of the webhook may not see the change, or the webhook has other events now.'
const unseenByAsker = 'The owner of the webhook may see the row of this change, but you may not.'
const invalidFilter = 'There is nothing to send: the filter of the webhook (where) does not fit the schema.'
