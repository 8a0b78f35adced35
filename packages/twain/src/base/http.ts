// Plain request and reply shapes. The doors know these and never a socket, so tests call them without a port.

export interface HttpRequest {
  method: string
  /** The path as sent: percent-encoded, without the query. */
  path: string
  /** What stands behind the `?`, without it; empty when there is none. */
  query: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** Reads the body once; a Fault `PAYLOAD_TOO_LARGE` when it is over the limit. */
  body(): Promise<Uint8Array>
}

export interface HttpReply {
  status: number
  headers: Record<string, string | string[]>
  body: string | Uint8Array | null
}

/** A door: what answers a request. */
export type Door = (request: HttpRequest, viewer: Viewer) => Promise<HttpReply>

/** Who asks. Nobody signs in yet: the next floor of rules fills this. */
export interface Viewer {
  kind: 'anonymous'
}

export const anonymous: Viewer = { kind: 'anonymous' }
