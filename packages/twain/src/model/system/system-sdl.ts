// The built-in SDL: the types of the server itself. They are resources like those of a schema file, so that paths, operations,
// filters, pages and documents come from the same code. What a write of them does is code of the module that owns them
// (docs/internals/decisions/0054-system-types.md).
//
// 1. The actions that the rules of a type name are the operations that it has.
// 2. A field without `@immutable` can be updated.
// 3. An index stands for one that the system table has.
// 4. `SchemaAccount` stands for the account type of a schema file (`bind-types.ts`).

export const systemSdl = `
"A job of custom code. For the role admin."
type BackgroundJob @resource(path: "background-jobs") @allow(role: "admin", to: [READ, UPDATE]) {
  id: ID!
  "Its name in \`jobs\` of twain.config.ts."
  name: String! @immutable @index(with: ["createdAt"]) @collation(name: BINARY)
  "Jobs of a key run one at a time."
  key: String @immutable @collation(name: BINARY)
  "WAITING tries a finished job again, with new retries. CANCELLED ends an unfinished one."
  state: BackgroundJobState!
  payload: JSON @immutable
  "Who enqueued it, as in the change log."
  by: String @immutable @collation(name: BINARY)
  createdAt: DateTime! @immutable @index
  "When the next attempt may begin."
  dueAt: DateTime! @immutable
  "When the first attempt began."
  startedAt: DateTime @immutable
  finishedAt: DateTime @immutable
  "How many attempts began."
  tries: Int! @immutable
  "The last ones that ended."
  attempts: [BackgroundJobAttempt!]! @immutable
}

"One attempt to run a job."
type BackgroundJobAttempt {
  at: DateTime!
  "The duration in milliseconds."
  took: Int!
  "Why the attempt failed."
  error: String
}

"FAILED: no more attempts."
enum BackgroundJobState {
  WAITING @next(to: [CANCELLED])
  RUNNING @next(to: [CANCELLED])
  DONE @next(to: [WAITING])
  FAILED @next(to: [WAITING])
  CANCELLED @next(to: [WAITING])
}

"The key of a machine. For the role admin."
type ApiKey @resource(path: "api-keys") @allow(role: "admin", to: [READ, CREATE, DELETE]) {
  id: ID!
  "What it is for."
  name: String @constraint(maxLength: 200)
  roles: [String!]! @constraint(minItems: 1, maxItems: 100)
  "Only the first response to its create shows it."
  key: String
  createdAt: DateTime! @auto(set: CREATE_TIME)
  "When it was last used, to the minute; null: never."
  lastUsedAt: DateTime
}

"A session of an account, from its sign-in on. For the account itself, whoever acts as it, and the role admin."
type Token @resource(path: "tokens")
  @allow(role: "admin", to: [READ, DELETE]) @allow(who: "account", to: [READ, DELETE])
  @allow(who: "actor", to: [READ, DELETE]) {
  id: ID!
  "Who signed in, or as whom somebody acts; null: as a role."
  account: SchemaAccount @index(with: ["createdAt"])
  "How it began."
  how: TokenMethod
  "The client that signed in: its \`x-client-name\`, or a short form of its \`user-agent\`."
  client: String
  "The network of the client that signed in: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address."
  address: String
  "Whether it is the session of this request."
  current: Boolean
  "When the account signed in."
  createdAt: DateTime @index
  "When it was last used, to the minute."
  lastUsedAt: DateTime
  "When it can no longer be renewed. In the response of \`createToken\`: when \`token\` or \`ticket\` expires."
  expiresAt: DateTime!
  "The account that acts as \`account\` or \`role\`; null: an operator, an API key, or nobody else."
  actor: SchemaAccount @index(with: ["createdAt"])
  "Whoever acts, as in the change log: \`account:1\`, \`operator:1\`, \`key:1\`; null: the account itself signed in."
  by: String @collation(name: BINARY)
  "The role that somebody acts as."
  role: String @collation(name: BINARY)
  "Whether whoever acts may only read."
  readOnly: Boolean
  "Why somebody acts."
  reason: String
}

"A way to sign in to an account: an identity at a provider or an external issuer. For the account itself and the role admin."
type Identity @resource(path: "identities")
  @allow(role: "admin", to: [READ, DELETE]) @allow(who: "account", to: [READ, DELETE]) {
  id: ID!
  "Whose it is."
  account: SchemaAccount @index
  "The name of the provider in the setting \`auth.providers\`; null: it came with a token of an external issuer."
  provider: String
  "Who vouches for it: \`https://accounts.google.com\`."
  issuer: String! @collation(name: BINARY)
  "The id of the person there."
  subject: String! @collation(name: BINARY)
  "When it was attached to the account."
  createdAt: DateTime!
  "When it was last used, to the hour."
  lastUsedAt: DateTime!
}

"How a session began. PROVIDER: at an identity provider. ACTING: somebody acts as the account."
enum TokenMethod {
  PASSWORD
  CODE
  PROVIDER
  ACTING
}

"An uploaded file. The rules of the rows that refer to it apply."
type File @resource(path: "files") @allow(role: "admin", to: [READ]) {
  id: ID!
  "The file name that the uploader sent, without any folders."
  name: String! @immutable
  "The media type that the uploader sent: \`image/png\`."
  mediaType: String! @immutable @collation(name: BINARY)
  "In bytes."
  size: Int! @immutable
}

type SchemaAccount @account {
  id: ID!
  email: String! @unique
}

"Sends events to a URL, signed by Standard Webhooks, with the rights of whoever last changed url, secret, events or where. For the role admin."
type Webhook @resource(path: "webhooks") @allow(role: "admin", to: [READ, CREATE, UPDATE, DELETE]) {
  id: ID!
  "The URL that receives the events."
  url: String! @constraint(pattern: "^[hH][tT][tT][pP][sS]?://", maxLength: 2000) @collation(name: BINARY)
  "\`post.created\`, \`post.*\` or \`*\`."
  events: [String!]! @constraint(minItems: 1, maxItems: 100)
  "A filter of rows, if all events are of one type."
  where: JSON
  "The key of the signatures: \`whsec_\` and base64 of 24 to 64 bytes. The server makes one for null. Only the write that set it shows it."
  secret: String @constraint(pattern: "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$", maxLength: 100)
  "Whether the server sends events. A webhook that becomes active again goes on where it stopped."
  active: Boolean! @default(value: true)
  "Why the server paused it; null if it did not."
  paused: String
  createdAt: DateTime! @auto(set: CREATE_TIME)
  updatedAt: DateTime! @auto(set: UPDATE_TIME)
  "The messages, the newest first. Finished ones are stored for 7 days."
  deliveries: [WebhookDelivery!]!
}

"A message to a webhook. For the role admin."
type WebhookDelivery @resource(path: "webhook-deliveries") @allow(role: "admin", to: [READ, UPDATE]) {
  "The header \`webhook-id\`, the same in all attempts."
  id: ID!
  webhook: Webhook! @immutable @relation(onDelete: CASCADE)
  "\`post.created\`, \`post.updated\` or \`post.deleted\`."
  type: String! @immutable @collation(name: BINARY)
  "The cursor of the change."
  event: ID! @immutable
  "pending sends a finished delivery again, with new retries."
  state: WebhookDeliveryState!
  createdAt: DateTime! @immutable
  "When it was delivered, failed or dropped."
  finishedAt: DateTime @immutable
  "The time of the next attempt."
  nextAt: DateTime @immutable
  "The last ones that ended."
  attempts: [WebhookAttempt!]! @immutable
}

"One attempt to deliver a message."
type WebhookAttempt {
  at: DateTime!
  "The duration in milliseconds."
  took: Int!
  "The status of the response; null without a response."
  status: Int
  "The first KB of the response."
  answer: String
  "Why the attempt failed."
  error: String
}

"failed: no more attempts. dropped: its owner may no longer see the row, or the log no longer has the change."
enum WebhookDeliveryState {
  pending
  delivered @next(to: [pending])
  failed @next(to: [pending])
  dropped @next(to: [pending])
}
`
