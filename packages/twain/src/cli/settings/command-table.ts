// The commands, as the command line and the help know them.

import { settings } from './settings.ts'

export type CommandName =
  | 'dev'
  | 'start'
  | 'check'
  | 'print'
  | 'migrate'
  | 'types'
  | 'seed'
  | 'token'
  | 'key'
  | 'copy'
  | 'backup'
  | 'restore'

export interface Command {
  name: CommandName
  /** One line for the list of commands. */
  about: string
  /** What one should know before using it. */
  more: string
  /** Whether it is about a file: a schema file, where nothing else is said. */
  file: boolean
  fileIs?: { called: string; example: string }
  /** Names of the settings that it takes. */
  settings: string[]
  /** What else can be said to it. */
  options: Option[]
}

/** A flag of one command: no setting, and no variable. */
export interface Option {
  name: string
  /** What stands for the value in the help; null for one that is said or not. */
  value: string | null
  about: string
}

const serving = settings.map(({ name }) => name)

export const commands: Command[] = [
  {
    name: 'dev',
    about: 'serve a schema file and follow its changes',
    more: `Serves the file as a REST API and a GraphQL API over the same rows, and again whenever the file is saved:
requests wait for the new contract, none is lost. A file with mistakes leaves what was served as it was. If port 4000
is taken, the next free one is used, unless a port was asked for.`,
    file: true,
    settings: serving,
    options: [],
  },
  {
    name: 'start',
    about: 'serve a schema file in production',
    more: `Serves the file as a REST API and a GraphQL API over the same rows, with logs as JSON lines on stderr. SIGTERM
and SIGINT stop it once all requests are answered. It listens on this machine only, unless --host says otherwise. A file
that would break clients of the contract that was served last is refused with a list.`,
    file: true,
    settings: serving,
    options: [{ name: 'allow-breaking', value: null, about: 'serve it although clients of the former contract break' }],
  },
  {
    name: 'check',
    about: 'say whether a schema file can be served, whom it would break, and who may do what by it',
    more: `Starts nothing and touches no data. Exit code 0 when the file is fine, 1 when a client of what it is compared with
would break, 2 when it has mistakes, which are told on stderr. With --against it lists what the file changes, whom that
concerns and what to write instead. With --access it prints what each kind of viewer may do with each type, and with
each field that has lines of its own, under which condition and by which line.`,
    file: true,
    settings: [],
    options: [
      {
        name: 'against',
        value: 'PLACE',
        about: 'compare with a file, git:REVISION, what a data folder or postgres://… last served, or https://…',
      },
      {
        name: 'token',
        value: 'TOKEN',
        about: 'with --against https://…: one of the role admin, to compare the whole file',
      },
      { name: 'json', value: null, about: 'print one JSON document' },
      { name: 'github', value: null, about: 'print annotations for GitHub Actions' },
      { name: 'access', value: null, about: 'print who may do what, and by which line' },
      { name: 'as', value: 'VIEWER', about: 'with --access: for one of nobody, signedIn, role:ROLE, operator' },
    ],
  },
  {
    name: 'print',
    about: 'print the whole GraphQL schema that a schema file gives, or its OpenAPI document',
    more: `Starts nothing and touches no data. Exit code 1 when the file has mistakes, which are told on stderr. With --openapi
it prints what /openapi.json would answer, to the byte, with the same --limits-page; with --contract the service in nine
parts: what it does, resources, states, endpoints, authentication, events, errors, limits, versioning.`,
    file: true,
    settings: serving.filter((name) => /^(limits|events|webhooks|auth)\./.test(name)),
    options: [
      { name: 'graphql', value: null, about: 'print the GraphQL schema, as without it' },
      { name: 'openapi', value: null, about: 'print the OpenAPI 3.1 document of the REST face' },
      { name: 'states', value: null, about: 'print the state machines (@next) as Mermaid drawings in Markdown' },
      { name: 'contract', value: null, about: 'print what the service is and promises, as Markdown' },
    ],
  },
  {
    name: 'migrate',
    about: 'make the data fit a schema file before it is served, and drop what was left behind',
    more: `Does what twain start would do to the data before it serves, and no more: the start that follows finds nothing left to
do. On a data folder no server may be running; it is one transaction, and a copy of the file is kept in backups/ before
anything that rows hold is left behind or dropped. On PostgreSQL nodes may be serving; indexes of tables with rows are
made without stopping writers, nothing waits longer than 5 s for a lock, and whoever is stopped is gone on from by the
next one. Exit code 1 when the file would break clients, or rows do not fit it.`,
    file: true,
    settings: ['data', 'database', 'database.tls'],
    options: [
      { name: 'dry-run', value: null, about: 'print the SQL, and change nothing; a server may be running' },
      {
        name: 'drop',
        value: null,
        about: 'drop what contracts have left behind; none from before finds it again',
      },
      { name: 'allow-breaking', value: null, about: 'go on although clients of the former contract break' },
    ],
  },
  {
    name: 'types',
    about: "write the types of a schema file's own code",
    more: `Writes a TypeScript module: rows, inputs, filters, the arguments and answers of computed fields and own operations,
and the context. In twain.config.ts, defineService<Service>({ … }) then holds the code to it. Starts nothing and touches
no data. Exit code 1 when the file has mistakes, which are told on stderr.`,
    file: true,
    settings: [],
    options: [
      { name: 'to', value: 'FILE', about: 'where to write it (twain.types.ts beside the schema); - prints it' },
    ],
  },
  {
    name: 'seed',
    about: 'fill an empty place with the rows of a module',
    more: `Opens the data, runs the module's seed (export async function seed(make)) and ends; where there are rows already it
does nothing. Rows are checked as those of any client; no rule is asked. On SQLite no server may be running on the data:
twain dev and twain start take --seed themselves.`,
    file: true,
    settings: serving.filter((name) => /^(data|database|seed|limits|files)\b/.test(name)),
    options: [],
  },
  {
    name: 'token',
    about: 'print a token for the operator, or change what tokens are signed with',
    more: `Prints a token that has the roles and no account: authorization: Bearer $(twain token --role admin). It counts
until its time is over, or until the secret that signed it is forgotten. A server may be running on the data.`,
    file: false,
    settings: ['data', 'database', 'database.tls', 'auth.secret'],
    options: [
      { name: 'role', value: 'ROLE', about: 'what it may; several with commas' },
      { name: 'time', value: 'SECONDS', about: 'how long it counts (3600)' },
      { name: 'rotate', value: null, about: 'sign with a new secret from now on; what was signed before still counts' },
      { name: 'forget', value: null, about: 'with --rotate: what was signed before counts no more' },
    ],
  },
  {
    name: 'key',
    about: 'make, list and end the API keys of machines',
    more: `Prints a key that has the roles and no account, once: only its hash is kept. It counts until it is ended, which
is felt within a second. A server may be running on the data.`,
    file: false,
    settings: ['data', 'database', 'database.tls'],
    options: [
      { name: 'role', value: 'ROLE', about: 'what it may; several with commas' },
      { name: 'name', value: 'TEXT', about: 'whose it is, for the list' },
      { name: 'list', value: null, about: 'print the keys that count' },
      { name: 'end', value: 'ID', about: 'end one' },
    ],
  },
  {
    name: 'copy',
    about: 'copy a whole service to another folder or database',
    more: `Copies rows, links, change log, accounts, tokens, keys and contracts from a data folder (no server may be running on it)
or a PostgreSQL database to another that has none of ours yet. The counts are compared at the end; a copy that fails, or
is stopped, leaves the target as it was.`,
    file: false,
    settings: [],
    options: [
      {
        name: 'from',
        value: 'PLACE',
        about: 'a data folder (./data, sqlite:./data) or postgres://USER:PASSWORD@HOST/NAME',
      },
      { name: 'to', value: 'PLACE', about: 'the same' },
    ],
  },
  {
    name: 'backup',
    about: 'write all data of a folder into one file',
    more: `The file has everything as of one moment: rows, change log, accounts, keys, contracts, and the bytes of uploaded files
that lie in the folder. A server may be running on the data, and is not held up. Keep the file as you keep a password:
what tokens are signed with is in it. For PostgreSQL use its own tools, or twain copy.`,
    file: false,
    settings: ['data'],
    options: [{ name: 'to', value: 'FILE', about: 'where; a file that is not there yet' }],
  },
  {
    name: 'restore',
    about: 'make a data folder of a backup',
    more: `The folder must have no data yet. The file is looked through first, and one that is damaged is refused. Readers of the
change log begin anew: a cursor from before is answered with 410.`,
    file: true,
    fileIs: { called: 'a backup', example: 'backup.db' },
    settings: ['data'],
    options: [],
  },
]

/** As it is typed: `dev FILE`, `token`. */
export const formOf = ({ name, file }: Command): string => (file ? `${name} FILE` : name)
