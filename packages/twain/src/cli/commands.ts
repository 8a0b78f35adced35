// The commands, as the command line and the help know them.

import { settings } from './settings.ts'

export type CommandName = 'dev' | 'start' | 'print'

export interface Command {
  name: CommandName
  /** One line for the list of commands. */
  about: string
  /** What one should know before using it. */
  more: string
  /** Names of the settings that it takes. */
  settings: string[]
}

const serving = settings.map(({ name }) => name)

export const commands: Command[] = [
  {
    name: 'dev',
    about: 'serve a schema file and follow its changes',
    more: `Serves the file as a REST API and a GraphQL API over the same rows, and again whenever the file is saved:
requests wait for the new contract, none is lost. A file with mistakes leaves what was served as it was. If port 4000
is taken, the next free one is used, unless a port was asked for.`,
    settings: serving,
  },
  {
    name: 'start',
    about: 'serve a schema file in production',
    more: `Serves the file as a REST API and a GraphQL API over the same rows, with logs as JSON lines on stderr. SIGTERM
and SIGINT stop it once all requests are answered. It listens on this machine only, unless --host says otherwise.`,
    settings: serving,
  },
  {
    name: 'print',
    about: 'print the whole GraphQL schema that a schema file gives',
    more: 'Starts nothing and touches no data. Exit code 1 when the file has mistakes, which are told on stderr.',
    settings: [],
  },
]
