// A custom subscription as an event stream (docs/reference/rest.md, R203): each value of the code is an event.

import { ApiError, uuidv7 } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import type { CustomStream } from '#engine'
import { type Events, openValueStream, streamHeaders, type ValuesEnd } from '#events'
import type { Visibility } from '#plan/build'
import { printFailures, type ReportCodeError, visibleText, withoutFailureMarkers } from '../represent/absent-fields.ts'

interface CustomStreamOptions {
  viewer: Viewer
  visibility: Visibility
  events: Events
  onError: ReportCodeError | null
}

/** A stream must be requested by its name: only then does the server watch the viewer's session meanwhile. */
export function expectStreamAccepted({ headers: { accept } }: HttpRequest): void {
  if (accept?.includes('text/event-stream') === true) return
  throw new ApiError('NOT_ACCEPTABLE', 'A subscription is an event stream.', {
    hint: 'Send Accept: text/event-stream.',
  })
}

export function representStream(stream: CustomStream, request: HttpRequest, options: CustomStreamOptions): HttpReply {
  const { viewer, visibility, events, onError } = options
  const problemText = (error: unknown) => JSON.stringify(problemOf(error, onError, request.context?.id))
  const source = {
    stop: () => stream.stop(),
    /** The whole frame of the event. */
    async next(): Promise<string | null> {
      const next = await stream.next()
      if (next === null) return null
      try {
        const { text, failures } = await stream.complete(next.value)
        if (failures === undefined) return `data: ${visibleText(text, visibility)}\n\n`
        const failed = printFailures(failures, onError, request.context?.id)
        return `: X-Failed-Fields: ${failed}\ndata: ${visibleText(withoutFailureMarkers(text), visibility)}\n\n`
      } catch (error) {
        return `event: problem\ndata: ${problemText(error)}\n\n`
      }
    },
  }
  const frames = {
    frame: (text: string) => text,
    heartbeat: (id: string) => `:\nretry: 1000\n${id}\n`,
    lastFrame: (how: ValuesEnd) => {
      if (how === 'restart') return ': reconnect\n\n'
      return how === 'complete' ? 'event: complete\ndata:\n\n' : `event: end\ndata: ${problemText(how.error)}\n\n`
    },
  }
  return { status: 200, headers: streamHeaders, body: openValueStream(frames, source, viewer, request, events) }
}

/** What the client learns of an error; the log has the details of an unexpected one. */
function problemOf(error: unknown, onError: ReportCodeError | null, requestId: string | undefined): object {
  if (error instanceof ApiError) {
    const { code, message: detail, hint } = error
    return { code, detail, hint }
  }
  if (onError === null) throw error
  const id = uuidv7()
  onError(error, id, requestId)
  return { code: 'INTERNAL', detail: `Internal error. The server log has the details under error_id ${id}.` }
}
