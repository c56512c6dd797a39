// The types of a script. Generated from its schema by clients/generate.

/**
 * One action: a map with one key.
 */
export type ActionFile =
  | {
      send: {
        [k: string]: unknown;
      };
    }
  | {
      send_raw: string;
    }
  | {
      send_bytes: string;
    }
  | {
      pause: Duration;
    }
  | {
      gate: string;
    }
  | {
      release: string;
    }
  | {
      expect: ExpectFile;
    }
  | "end_of_input"
  | "stop"
  | {
      exit: number;
    };
/**
 * A length of time with its unit: `20ms`, `1.5s`, `2m`.
 */
export type Duration = string;
/**
 * Scalars must be equal, an object must have at least these entries, a list exactly these elements; a map of `$` keys is a list of operators that must all match. Texts may contain `{name}` placeholders.
 */
export type Matcher =
  | (null | boolean | number | string)
  | Matcher[]
  | {
      /**
       * A text in which this regular expression is found: `^call_`. Places are put in literally.
       */
      $regex?: unknown;
      /**
       * A text that holds this one, or a list with an element that matches.
       */
      $contains?: unknown;
      /**
       * A value of this JSON type, or of one in a list of them: `string`, `[string, "null"]`.
       */
      $type?: unknown;
      /**
       * Equal to one of these values: `[once, always]`.
       */
      $one_of?: unknown;
      /**
       * `true`: the object lacks the key.
       */
      $absent?: unknown;
      /**
       * `true`: the object has the key, whatever its value.
       */
      $present?: unknown;
      /**
       * A text, list or object of this length, or whose length matches: `3`, `{ $gte: 1 }`.
       */
      $length?: unknown;
      /**
       * A list whose every element matches.
       */
      $items?: unknown;
      /**
       * A list that has an element for each of these, in this order; others may stand between them.
       */
      $in_order?: unknown;
      /**
       * A number at least this large.
       */
      $gte?: unknown;
      /**
       * A number larger than this.
       */
      $gt?: unknown;
      /**
       * A number at most this large.
       */
      $lte?: unknown;
      /**
       * A number smaller than this.
       */
      $lt?: unknown;
      /**
       * A value that is there and is not equal to this one.
       */
      $ne?: unknown;
      /**
       * Anything that does not match.
       */
      $not?: unknown;
      /**
       * Matches every one of these.
       */
      $all?: unknown;
      /**
       * Matches at least one of these.
       */
      $any?: unknown;
      [k: string]: unknown;
    };

/**
 * A scripted agent of any dialect: what it writes at the start and on each command of the host.
 */
export interface AgentScript {
  /**
   * The dialect that the agent speaks, `NAME@VERSION`, unless the command line names one.
   */
  dialect?: string | null;
  /**
   * What happens when the process starts.
   */
  start?: ActionFile[];
  /**
   * A conversation in a fixed order, instead of `start`: what the agent sends, and an `expect` at each place where it waits for a command
   * of the host.
   */
  session?: ActionFile[];
  /**
   * What happens on the commands of the host that no `expect` takes. The first entry that matches a command answers it.
   */
  commands?: EntryFile[] | null;
  /**
   * What happens on a command that no entry matches; by default nothing. `{command}` is the command.
   */
  unknown?: ActionFile[];
  /**
   * What happens on a line that is not a JSON object; by default nothing. `{line}` is the line.
   */
  malformed?: ActionFile[];
  /**
   * What happens at the end of stdin, after the replies in progress; the process exits after it, with status 0 unless an `exit` says
   * otherwise.
   */
  end_of_input?: ActionFile[];
  /**
   * What happens on SIGTERM, SIGINT or SIGHUP, instead of the reply in progress; the process exits after it.
   */
  terminate?: ActionFile[];
  /**
   * How long a gate holds unless it is released; by default 200 ms, or the value of `MOCK_AGENT_GATE_MS`.
   */
  gate_timeout?: Duration | null;
}
/**
 * A command that a reply expects: `on` or `line`.
 */
export interface ExpectFile {
  /**
   * A matcher for the command. `{name}` in it is a name that an earlier command has set.
   */
  on?: Matcher | null;
  /**
   * A line that is not a JSON object, as it is.
   */
  line?: string | null;
  /**
   * Parts of the command to store: a name and a JSON Pointer. A part that the command lacks is null.
   */
  capture?: {
    [k: string]: string;
  };
}
/**
 * A command and the reply to it.
 */
export interface EntryFile {
  /**
   * A matcher for the command.
   */
  on:
    | (null | boolean | number | string)
    | Matcher[]
    | {
        /**
         * A text in which this regular expression is found: `^call_`. Places are put in literally.
         */
        $regex?: unknown;
        /**
         * A text that holds this one, or a list with an element that matches.
         */
        $contains?: unknown;
        /**
         * A value of this JSON type, or of one in a list of them: `string`, `[string, "null"]`.
         */
        $type?: unknown;
        /**
         * Equal to one of these values: `[once, always]`.
         */
        $one_of?: unknown;
        /**
         * `true`: the object lacks the key.
         */
        $absent?: unknown;
        /**
         * `true`: the object has the key, whatever its value.
         */
        $present?: unknown;
        /**
         * A text, list or object of this length, or whose length matches: `3`, `{ $gte: 1 }`.
         */
        $length?: unknown;
        /**
         * A list whose every element matches.
         */
        $items?: unknown;
        /**
         * A list that has an element for each of these, in this order; others may stand between them.
         */
        $in_order?: unknown;
        /**
         * A number at least this large.
         */
        $gte?: unknown;
        /**
         * A number larger than this.
         */
        $gt?: unknown;
        /**
         * A number at most this large.
         */
        $lte?: unknown;
        /**
         * A number smaller than this.
         */
        $lt?: unknown;
        /**
         * A value that is there and is not equal to this one.
         */
        $ne?: unknown;
        /**
         * Anything that does not match.
         */
        $not?: unknown;
        /**
         * Matches every one of these.
         */
        $all?: unknown;
        /**
         * Matches at least one of these.
         */
        $any?: unknown;
        [k: string]: unknown;
      };
  /**
   * Parts of the command to store: a name and a JSON Pointer. A part that the command lacks is null.
   */
  capture?: {
    [k: string]: string;
  };
  /**
   * What this entry does with a command that arrives while a reply is in progress.
   */
  while_busy?: "queue" | "now" | "only" | "never";
  /**
   * The reply.
   */
  do: ActionFile[];
}
