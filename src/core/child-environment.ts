/** A minimal environment for child processes. Windows starts no process without `SystemRoot`. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  return SystemRoot === undefined ? {} : { SystemRoot }
}
