#!/usr/bin/env perl
# near.pl - are two texts the same, but for the last digits of their numbers?
#
# Usage: scripts/near.pl TOLERANCE A B       exit status 0: yes, 1: no
#
# BLAS libraries add up in an order that depends on the processor, so the last digits of what is
# solved with matrices differ from one machine to the next. Two numbers with a decimal point are
# alike when they differ by at most TOLERANCE times the larger of 1 and their size; everything else
# must be equal to the byte.
use strict;
use warnings;

my ($tolerance, @paths) = @ARGV;
die "usage: near.pl TOLERANCE A B\n" unless @paths == 2;

my $number = qr/-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]\d+/;
my ($first, $second) = map {
    open my $in, '<', $_ or die "near: $_: $!\n";
    local $/;
    my $text = <$in>;
    [ split /($number)/, defined $text ? $text : '' ];
} @paths;

exit 1 if @$first != @$second;
for my $i (0 .. $#$first) {
    my ($a, $b) = ($first->[$i], $second->[$i]);
    next if $a eq $b;
    exit 1 if $i % 2 == 0;    # between the numbers
    my $size = abs($a) > 1 ? abs($a) : 1;
    exit 1 if abs($a - $b) > $tolerance * $size;
}
