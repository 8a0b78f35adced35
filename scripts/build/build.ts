// `npm run build`: the npm packages, each in a folder of `build/` that `npm pack` and `npm publish` take as it is. The repository itself
// runs from its TypeScript sources; Node does not strip types in `node_modules`, so published packages are JavaScript.

import { buildClient } from './build-client.ts'
import { buildCreate } from './build-create.ts'
import { buildServer } from './build-server.ts'

/** Returns the folders of the packages. */
export function build(): Promise<string[]> {
  return Promise.all([buildServer(), buildClient(), buildCreate()])
}

if (import.meta.main) for (const folder of await build()) console.log(folder)
