// Writes the types of the HTTP interface for the browser application. Run it when a test says that they are stale.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, setup } from './setup.js'

await setup()
const { interfaceTypes } = await import('../dist/test/support/browser/interface-types.js')
const file = join(root, 'src', 'features', 'web', 'browser', 'api', 'interface-types.ts')
writeFileSync(file, interfaceTypes())
