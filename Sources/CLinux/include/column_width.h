#pragma once

/// How many columns a Unicode scalar takes on a terminal; 0 for combining marks and what cannot be shown.
int submit_column_width(unsigned int scalar);
