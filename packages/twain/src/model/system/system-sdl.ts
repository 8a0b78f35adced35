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
  name: String! @immutable @index(with: ["createdAt"])
  "Jobs of a key run one at a time."
  key: String @immutable
  "WAITING tries a finished job again, with new retries. CANCELLED ends an unfinished one."
  state: BackgroundJobState!
  payload: JSON @immutable
  "Who enqueued it, as in the change log."
  by: String @immutable
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
type ApiKey @resource(path: "api-keys") @allow(role: "admin", to: [READ, DELETE]) {
  id: ID!
  "What it is for."
  name: String
  roles: [String!]!
  createdAt: DateTime!
}

"A session of an account, from its sign-in on. For the account itself and the role admin."
type Token @resource(path: "tokens")
  @allow(role: "admin", to: [READ, DELETE]) @allow(who: "account", to: [READ, DELETE]) {
  id: ID!
  "Who signed in."
  account: SchemaAccount @index(with: ["createdAt"])
  "The client that signed in: its \`x-client-name\` or \`user-agent\`."
  client: String
  "When the account signed in."
  createdAt: DateTime @index
  "When the token was created or last renewed."
  lastUsedAt: DateTime
  "When it can no longer be renewed. In the response of \`createToken\`: when \`token\` or \`ticket\` expires."
  expiresAt: DateTime!
}

"An uploaded file. The rules of the rows that refer to it apply."
type File @resource(path: "files") @allow(role: "admin", to: [READ]) {
  id: ID!
  "The file name that the uploader sent, without any folders."
  name: String! @immutable
  "The media type that the uploader sent: \`image/png\`."
  mediaType: String! @immutable
  "In bytes."
  size: Int! @immutable
}

type SchemaAccount @account {
  id: ID!
  email: String! @unique
}
`
