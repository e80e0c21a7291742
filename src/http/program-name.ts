/** The program that serves. */
export interface Build {
  readonly name: string
  readonly version?: string
}
