import { main } from '../../src/cli/main.js'

/* The program of this build as it is before its modules are bundled. See bin/bundle.js. */

await main(process.argv.slice(2))
