% A simulator with 4 parameters and 20 cases. SPDX-License-Identifier: MIT
1; % a script
function f = misfit (x, i)          % case i: how far is the model from what was measured?
  t = (i - 1) / 20;
  f = (x * cos (pi * (0:3)' * t) - exp (-3 * t)) ^ 2;
end

[x, fval, info] = zoprox_minimize (@misfit, zeros (1, 4), "n", 20, "units", 30);
printf ("F = %.6f by %s, %d queries (%s)\n", fval, info.method, info.queries, info.reason);

% One function, within bounds, and a penalty that leaves few parameters.
x = zoprox_minimize (@(x) sum ((x - [3 0.2 -2]) .^ 2), [0 0 0], "lower", [0 0 0], "upper", [2 2 2]);
printf ("x = %s\n", mat2str (x, 4));
x = zoprox_minimize (@(x) sum ((x - [3 0.2 -2]) .^ 2), [0 0 0], "prox", "l1:1");
printf ("x = %s\n", mat2str (x, 4));
