import { main } from '../../src/cli/main.js'

/* The program of this build with separate modules instead of a bundle. See bin/bundle.js. */

await main(process.argv.slice(2))
