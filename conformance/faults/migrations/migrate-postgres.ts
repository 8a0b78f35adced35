// A start that only migrates, to be killed meanwhile: `migrate-postgres.ts ADDRESS SDL`.

import { loadModel } from '../../../packages/twain/src/model/index.ts'
import { migrate } from '../../../packages/twain/src/store/postgres/migrate/migrate.ts'

const [address = '', sdl = ''] = process.argv.slice(2)
await migrate(address, { model: loadModel(sdl, 'test.graphql'), sdl, allowBreaking: false })
